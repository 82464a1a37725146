module "queue" {
  source = "../queue-with-dlq"

  name                     = var.name
  fifo                     = { high_throughput = var.high_throughput }
  consumer_timeout_seconds = var.consumer_timeout_seconds
  consumer                 = var.consumer
  queue                    = var.queue
  dead_letter_queue        = var.dead_letter_queue
  encryption               = var.encryption
  access                   = var.access
  tags                     = var.tags
}
