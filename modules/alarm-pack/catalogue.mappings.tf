locals {
  mapping_targets = { for key, queue in var.queues : key => {
    sources = { mapping = { namespace = "AWS/Lambda", dimensions = { EventSourceMappingUUID = queue.mapping.uuid } } }
    limits  = {}
  } if queue.mapping != null }

  mapping_alarms = {
    mapping-failed-invokes = {
      service  = "mapping"
      text     = "Many of the messages that were polled came back from the consumer unfinished: a fault in the consumer or in what it calls."
      severity = "warning"
      slows    = false
      metrics = {
        failed = { source = "mapping", name = "FailedInvokeEventCount", stat = "Sum" }
        polled = { source = "mapping", name = "PolledEventCount", stat = "Sum" }
      }
      expression = "IF(FILL(failed, 0) >= 10 AND polled > 0, 100 * FILL(failed, 0) / polled, 0)"
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 10
      share      = null
      limit      = null
      period     = 300
      periods    = 1
      datapoints = null
      targets    = local.mapping_targets
    }
    mapping-stalled = {
      service  = "mapping"
      text     = "The mapping polls messages and finishes none. The consumer fails at every one, or is not invoked: look at its log and its throttles."
      severity = "critical"
      slows    = false
      metrics = {
        polled  = { source = "mapping", name = "PolledEventCount", stat = "Sum" }
        deleted = { source = "mapping", name = "DeletedEventCount", stat = "Sum" }
      }
      expression = "IF(polled > 0 AND FILL(deleted, 0) == 0, 1, 0)"
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 15
      datapoints = null
      targets    = local.mapping_targets
    }
    mapping-filtered = {
      service    = "mapping"
      text       = "A filter on the mapping deleted messages that no code has seen: their effect has not happened. Take the filter off, and dispatch again."
      severity   = "critical"
      slows      = false
      metrics    = { filtered = { source = "mapping", name = "FilteredOutEventCount", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.mapping_targets
    }
  }
}
