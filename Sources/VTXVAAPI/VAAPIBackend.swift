// The backend for Intel and AMD GPUs.
