"""Where `serve` and `studio` listen, and what is said where they cannot."""

import socket

from onoma.errors import SettingsError

__all__ = ["LOOPBACK", "listening"]

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def listening(host: str, port: int) -> socket.socket:
    """Return a socket to which others can come at once, and wait.

    It is said to be of TCP: asyncio sends small pieces at once only on sockets that say so. On others the end of an
    answer waits until the other side has confirmed its beginning, which takes that side 40 milliseconds.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        told = f"cannot listen on {host}:{port}: {error.strerror or error}"
        raise SettingsError(told, hint="Choose --port 0: any that is free is taken. Leave --host out.") from error
    listener.listen(128)
    return listener
