"""Web Push: what waits, told by the browser's own push service to a device that has no tab open."""
