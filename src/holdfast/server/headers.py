"""What every answer carries, so that a browser does nothing with it that we did not mean."""

CONTENT_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        # Pictures that came with a message are fetched with the credential and shown from memory.
        "img-src 'self' blob:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        # Diagrams are drawn in a frame that has a policy of its own.
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
SECURITY = [
    (b"content-security-policy", CONTENT_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]
PRIVATE = [(b"cache-control", b"no-store")]
CHALLENGE = [(b"www-authenticate", b"Bearer")]
ONLY_SECURE = [(b"strict-transport-security", b"max-age=31536000")]
