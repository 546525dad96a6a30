import VTXMedia

/// What the planner writes down while it decides.
struct PlanNotes {
    var decisions: [Decision] = []
    var notices: [Notice] = []

    mutating func decide(_ subject: String, _ choice: String, because reason: String) {
        decisions.append(Decision(subject, choice, because: reason))
    }

    mutating func downgrade(_ code: String, _ message: String) {
        notices.append(Notice(.downgrade, "downgrade.\(code)", message))
    }

    mutating func conversion(_ code: String, _ message: String) {
        notices.append(Notice(.conversion, "conversion.\(code)", message))
    }
}
