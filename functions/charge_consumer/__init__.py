"""The consumer of the job `charge`: one message, one charge on one employee's card."""
