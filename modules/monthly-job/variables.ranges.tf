locals {
  # Whole numbers by input and member: the least and the most, null where AWS raises its quota.
  ranges = {
    dispatcher = { memory_mb = [128, 10240], timeout_seconds = [1, 900], sender_threads = [1, 16], page_size = [1, 5000] }
    auditor    = { memory_mb = [128, 10240], timeout_seconds = [1, 900] }
    consumer = {
      memory_mb            = [128, 10240]
      timeout_seconds      = [1, 900]
      batch_size           = [1, 10]
      maximum_concurrency  = [2, null]
      reserved_concurrency = [1, null]
      max_attempts         = [1, 20]
      max_deliveries       = [1, 50]
      threads              = [1, 10] # A batch has 10 groups at most.
    }
    queue = { retention_seconds = [60, 1209599], maximum_receive_count = [100, 1000] }
    redriver = {
      memory_mb           = [128, 10240]
      timeout_seconds     = [1, 900]
      maximum_redrives    = [1, 20]
      pause_seconds       = [0, 86400]
      limit               = [1, 1000]
      messages_per_second = [1, 1000]
    }
  }

  retention_days = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653]
}
