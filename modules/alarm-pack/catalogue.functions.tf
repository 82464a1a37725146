locals {
  function_targets = { for key, function in var.functions : key => {
    sources = { function = { namespace = "AWS/Lambda", dimensions = { FunctionName = function.function_name } } }
    limits = {
      timeout_seconds      = function.timeout_seconds
      timeout_milliseconds = function.timeout_seconds * 1000
      reserved_concurrency = function.reserved_concurrency
    }
  } }
  # What a mapping limits is at its limit whenever there is work, or never near its reserved concurrency: neither is news.
  mapped           = [for queue in values(var.queues) : queue.mapping.function_name if queue.mapping == null ? false : queue.mapping.maximum_concurrency != null]
  reserved_targets = { for key, target in local.function_targets : key => target if var.functions[key].reserved_concurrency != null && !contains(local.mapped, var.functions[key].function_name) }

  asynchronous_targets = { for key, target in local.function_targets : key => target if var.functions[key].asynchronous }

  function_alarms = {
    function-errors = {
      service    = "function"
      text       = "The function crashed, timed out, or gave up an invocation. Its log has the exception."
      severity   = "warning"
      slows      = false
      metrics    = { errors = { source = "function", name = "Errors", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = 1
      # An error counts at the time when its invocation began: of a timeout one hears a whole timeout late.
      late    = "timeout_seconds"
      targets = local.function_targets
    }
    function-error-rate = {
      service  = "function"
      text     = "Most invocations of the function fail, and have for a while. A deployment, a permission or something it calls is at fault; its log has the exception."
      severity = "critical"
      slows    = false
      metrics = {
        errors      = { source = "function", name = "Errors", stat = "Sum" }
        invocations = { source = "function", name = "Invocations", stat = "Sum" }
      }
      expression = "IF(invocations > 0, 100 * FILL(errors, 0) / invocations, 0)"
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 50
      share      = null
      limit      = null
      period     = 300
      periods    = 3
      datapoints = 3
      late       = "timeout_seconds"
      # Asynchronous events come too rarely for a rate; what Lambda gives up of them has alarms of its own.
      targets = { for key, target in local.function_targets : key => target if !var.functions[key].asynchronous }
    }
    function-throttles = {
      service    = "function"
      text       = "Lambda has refused invocations for minutes, for want of concurrency. They are repeated; raise the reserved or the account's concurrency."
      severity   = "warning"
      slows      = true
      metrics    = { throttles = { source = "function", name = "Throttles", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 5
      datapoints = 3
      targets    = local.function_targets
    }
    function-duration = {
      service  = "function"
      text     = "Invocations come close to the timeout, at which their work is cut off and repeated. Find out what they wait for."
      severity = "warning"
      slows    = true
      metrics = {
        invocations = { source = "function", name = "Duration", stat = "SampleCount" }
        slowest     = { source = "function", name = "Duration", stat = "p99" }
        usual       = { source = "function", name = "Duration", stat = "Average" }
      }
      # Of few invocations the 99th percentile is the slowest one, and one that timed out has an alarm of its own.
      expression = "IF(invocations >= 100, slowest, usual)"
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = null
      share      = 0.8
      limit      = "timeout_milliseconds"
      period     = 300
      periods    = 1
      datapoints = null
      targets    = { for key, target in local.function_targets : key => target if !var.functions[key].invokes_itself }
    }
    function-concurrency = {
      service    = "function"
      text       = "The function runs almost as often at once as it may; beyond that it is throttled. Raise its reserved concurrency, or invoke it less at once."
      severity   = "warning"
      slows      = true
      metrics    = { concurrency = { source = "function", name = "ConcurrentExecutions", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = null
      share      = 0.9
      limit      = "reserved_concurrency"
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.reserved_targets
    }
    function-async-dropped = {
      service    = "function"
      text       = "Lambda gave up events that it had accepted for the function. They are in its failure queue; start the run again."
      severity   = "critical"
      slows      = false
      metrics    = { dropped = { source = "function", name = "AsyncEventsDropped", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.asynchronous_targets
    }
    function-destination-failures = {
      service    = "function"
      text       = "A failed event could not be put into the function's failure queue: it is lost but for the log. See the role's permissions and the queue's key."
      severity   = "critical"
      slows      = false
      metrics    = { failures = { source = "function", name = "DestinationDeliveryFailures", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.asynchronous_targets
    }
    function-async-age = {
      service    = "function"
      text       = "Events wait long before the function takes them: it is throttled, or failing and repeated. Look at its throttles and errors."
      severity   = "warning"
      slows      = true
      metrics    = { age = { source = "function", name = "AsyncEventAge", stat = "Maximum" } }
      expression = null
      comparison = "GreaterThanThreshold"
      threshold  = 300000
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.asynchronous_targets
    }
    function-recursion-stopped = {
      service    = "function"
      text       = "Lambda took the function's calls for an endless loop and stopped them. If it hands over to itself on purpose, its recursion setting was changed."
      severity   = "critical"
      slows      = false
      metrics    = { stopped = { source = "function", name = "RecursiveInvocationsDropped", stat = "Sum" } }
      expression = null
      comparison = "GreaterThanOrEqualToThreshold"
      threshold  = 1
      share      = null
      limit      = null
      period     = 60
      periods    = 1
      datapoints = null
      targets    = local.asynchronous_targets
    }
  }
}
