terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.28, < 7.0"
    }
  }
}

# A consumer on containers: nothing is mapped, and the service is scaled by the messages that wait for each task. A queue's
# depth alone says nothing about how long they wait.

variable "cluster" {
  description = "Name of the ECS cluster, with Container Insights on."
  type        = string
}

variable "service" {
  description = "Name of the ECS service that polls the queue."
  type        = string
}

locals {
  seconds_a_message  = 0.5
  seconds_acceptable = 60

  # Messages that one task works off in the time that is acceptable.
  backlog_a_task = local.seconds_acceptable / local.seconds_a_message
}

module "charges" {
  source = "../.."

  name                     = "prod-charges"
  high_throughput          = true
  consumer_timeout_seconds = 60
}

resource "aws_appautoscaling_target" "consumer" {
  service_namespace  = "ecs"
  resource_id        = "service/${var.cluster}/${var.service}"
  scalable_dimension = "ecs:service:DesiredCount"
  min_capacity       = 1
  max_capacity       = 50
}

resource "aws_appautoscaling_policy" "backlog" {
  name               = "backlog-per-task"
  policy_type        = "TargetTrackingScaling"
  service_namespace  = aws_appautoscaling_target.consumer.service_namespace
  resource_id        = aws_appautoscaling_target.consumer.resource_id
  scalable_dimension = aws_appautoscaling_target.consumer.scalable_dimension

  target_tracking_scaling_policy_configuration {
    target_value       = local.backlog_a_task
    scale_out_cooldown = 60
    scale_in_cooldown  = 300

    customized_metric_specification {
      metrics {
        id          = "backlog"
        expression  = "waiting / tasks"
        label       = "Messages waiting for each task"
        return_data = true
      }

      metrics {
        id          = "waiting"
        return_data = false

        metric_stat {
          stat = "Average"

          metric {
            namespace   = "AWS/SQS"
            metric_name = "ApproximateNumberOfMessagesVisible"

            dimensions {
              name  = "QueueName"
              value = module.charges.queue.name
            }
          }
        }
      }

      metrics {
        id          = "tasks"
        return_data = false

        metric_stat {
          stat = "Average"

          metric {
            namespace   = "ECS/ContainerInsights"
            metric_name = "RunningTaskCount"

            dimensions {
              name  = "ClusterName"
              value = var.cluster
            }

            dimensions {
              name  = "ServiceName"
              value = var.service
            }
          }
        }
      }
    }
  }
}
