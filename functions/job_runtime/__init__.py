"""What the functions share: settings, identity, the message, the batch, the effects. Knows no job."""
