locals {
  # Whole numbers by input and member: the least and the most, null where AWS raises its quota.
  ranges = {
    jobs     = { maximum_concurrency = [2, null], dispatch_timeout_seconds = [1, 900], consumer_timeout_seconds = [1, 900] }
    redriver = { maximum_redrives = [1, 20], pause_seconds = [0, 86400] }
  }

  retention_days = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653]

  # What may be deployed from `dist`.
  packages = ["alarm_notifier", "charge_consumer", "co2_consumer", "dlq_redriver", "monthly_dispatcher", "run_auditor"]
}
