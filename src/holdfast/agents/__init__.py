"""What a runner talks to: child processes that speak the Agent Client Protocol over stdio."""
