import CFFmpeg
import VTXMedia

extension DMABufLayout {
    /// Creates the layout without layers: the frame's own format defines the planes.
    init(_ description: AVDRMFrameDescriptor) {
        let objects = description.allObjects.prefix(Int(description.nb_objects)).map { object in
            Object(descriptor: object.fd, modifier: object.format_modifier)
        }
        let layers = description.allLayers.prefix(Int(description.nb_layers))
        let planes = layers.flatMap { $0.allPlanes.prefix(Int($0.nb_planes)) }.map { plane in
            Plane(object: Int(plane.object_index), offset: plane.offset, bytesPerRow: plane.pitch)
        }
        self.init(objects: objects, planes: planes)
    }
}

// C's arrays of four are tuples.
extension AVDRMFrameDescriptor {
    fileprivate var allObjects: [AVDRMObjectDescriptor] { [objects.0, objects.1, objects.2, objects.3] }
    fileprivate var allLayers: [AVDRMLayerDescriptor] { [layers.0, layers.1, layers.2, layers.3] }

    mutating func add(_ object: AVDRMObjectDescriptor) {
        let all = allObjects.prefix(Int(nb_objects)) + [object] + allObjects.dropFirst(Int(nb_objects) + 1)
        objects = (all[0], all[1], all[2], all[3])
        nb_objects += 1
    }

    /// Adds one layer that contains all planes.
    mutating func add(_ planes: [DMABufLayout.Plane], _ drmFormat: UInt32) {
        var layer = AVDRMLayerDescriptor()
        layer.format = drmFormat
        layer.nb_planes = Int32(planes.count)
        var all = planes.map { plane in
            AVDRMPlaneDescriptor(
                object_index: Int32(clamping: plane.object), offset: plane.offset, pitch: plane.bytesPerRow)
        }
        while all.count < AV_DRM_MAX_PLANES { all.append(AVDRMPlaneDescriptor()) }
        layer.planes = (all[0], all[1], all[2], all[3])
        layers.0 = layer
        nb_layers = 1
    }
}

extension AVDRMLayerDescriptor {
    fileprivate var allPlanes: [AVDRMPlaneDescriptor] { [planes.0, planes.1, planes.2, planes.3] }
}
