"""The address at which a host is reached by ranks of other hosts."""

import os

from launcher.errors import StartError


def parse_interface(text):
    """The value of --interface: the name of an interface, an address or a network. Raises ValueError."""
    import ipaddress  # imported where it is used, because most runs do not

    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        if not text or "/" in text:
            raise ValueError(f"'{text}' is no interface, address or network") from None
        return text
    if network.network_address.is_unspecified:
        raise ValueError(f"{text} is every interface of a host: name the one that the hosts share")
    return text


def parse_ports(text):
    """The value of --port-range. Raises ValueError."""
    first, dash, last = text.partition("-")
    if not (dash and first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last) <= 65535):
        raise ValueError(f"'{text}' is no range of ports such as 50000-50100")
    return f"{int(first)}-{int(last)}"


def _is_here(address):
    import socket

    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        try:
            probe.bind((address, 0))
            return True
        except OSError:
            return False


def _of_interfaces():
    """(interface, its first IPv4 address), for interfaces that have one."""
    import fcntl
    import socket

    get_address = 0x8915  # SIOCGIFADDR
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(asked, get_address, name.encode()[:15].ljust(256, b"\0"))
                yield name, socket.inet_ntoa(answer[20:24])
            except OSError:
                pass  # it has none


def _of(interface):
    import ipaddress

    known = list(_of_interfaces())
    try:
        network = ipaddress.ip_network(interface, strict=False)
    except ValueError:
        found = [address for name, address in known if name == interface]
        reason = f"no interface {interface} with an IPv4 address"
    else:
        if network.num_addresses == 1:
            found = [interface] if _is_here(interface) else []
        else:
            found = [address for _, address in known if ipaddress.ip_address(address) in network]
        reason = f"no address in {interface}" if network.num_addresses > 1 else f"no address {interface}"
    if not found:
        raise StartError(f"{reason}; there are " + ", ".join(f"{name} {address}" for name, address in known))
    return found[0]


def _is_loopback(address):
    import ipaddress

    return ipaddress.ip_address(address.partition("%")[0]).is_loopback


def _on_the_way_to(address):
    import socket

    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((address, 9))  # sends nothing
        return probe.getsockname()[0]


def of_start(environment):
    """The address at which ssh reached this host, or by which it reaches the srun that started it. None without both."""
    fields = environment.get("SSH_CONNECTION", "").split()
    if len(fields) == 4:
        return fields[2]
    try:
        return _on_the_way_to(environment["SLURM_SRUN_COMM_HOST"])
    except (KeyError, OSError):
        return None


def first_outside(addresses):
    """The first of these that is not of a loopback interface, or None."""
    return next((one for one in addresses if one and not _is_loopback(one)), None)


def choose(interface, towards, environment=os.environ):
    """The address of this host: of `interface`, else that of its start, else the one from which `towards`, an address
    of another host, is reached. Raises StartError."""
    if interface:
        return _of(interface)
    reached = of_start(environment)
    if reached and (not towards or not _is_loopback(reached)):
        return reached
    if not towards:
        raise StartError("its address is not known; name the network that the hosts share by --interface")
    try:
        return _on_the_way_to(towards)
    except OSError as error:
        raise StartError(f"there is no way to {towards}: {error.strerror}") from None
