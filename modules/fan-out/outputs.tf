output "service_senders" {
  description = "By subscription, what its queue has to let in: pass each to the queue module's `access.service_senders`."
  value       = { for name, sender in local.senders : name => { (var.name) = sender } }
}

output "failure_queues" {
  description = "By subscription, the queue for what could not be delivered: `name`, `arn`, `url`."
  value       = { for name, queue in module.failures : name => queue.queue }
}

output "monitoring" {
  description = "What alarms need: `failure_queues` by subscription, `rules` by subscription (empty for a topic)."
  value = {
    failure_queues = { for name, queue in module.failures : name => queue.monitoring }
    rules          = { for name, rule in aws_cloudwatch_event_rule.this : name => { name = rule.name, bus_name = local.bus_name } }
  }
}
