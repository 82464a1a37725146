module "queue" {
  source = "../queue-with-dlq"

  name                     = var.name
  consumer_timeout_seconds = var.consumer_timeout_seconds
  consumer                 = var.consumer
  queue                    = var.queue
  dead_letter_queue        = var.dead_letter_queue
  encryption               = var.encryption
  access                   = var.access
  tags                     = merge(var.tags, { standard-queue-because = var.reason })
}
