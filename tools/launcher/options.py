"""Every option of stradsap-run, in one table: the parser, the help, the environment and the spelling hints use it.

An option counts as given on the command line, else as STRADSAP_<NAME> in the environment, else by its default.
An unknown option is refused on the command line; an unknown variable in the environment causes a warning.
"""

import argparse
import collections
import math
import os
import re

from launcher import hosts, slurm
from launcher.addresses import parse_interface, parse_ports
from launcher.cores import threads_of_each
from launcher.errors import UsageError


def _integer(low, high):
    def parse(text):
        try:
            value = int(text, 10)
        except ValueError:
            raise ValueError(f"'{text}' is not a whole number") from None
        if not low <= value <= high:
            raise ValueError(f"{value} is not between {low} and {high}")
        return value

    return parse


def _seconds(text):
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"'{text}' is not a number of seconds") from None
    if not math.isfinite(value) or value < 0:
        raise ValueError(f"'{text}' is not a number of seconds from 0 up")
    return value


def _path(text):
    if not text:
        raise ValueError("the path is empty")
    return os.path.abspath(text)


def _names(text):
    if not all(text.split(",")):
        raise ValueError(f"'{text}' is no list of names")
    return text


def _switch(text):
    if text.lower() in ("1", "true", "yes", "on"):
        return True
    if text.lower() in ("0", "false", "no", "off"):
        return False
    raise ValueError(f"'{text}' is neither 1 nor 0")


def _zero_or_one(text):
    """For an option with a value, so that 0 reaches the ranks."""
    return 1 if _switch(text) else 0


def _check(text):
    if text != "conflicts":
        raise ValueError(f"'{text}' is not conflicts")
    return text


def _in_place(text):
    if text not in ("auto", "never"):
        raise ValueError(f"'{text}' is neither auto nor never")
    return text


def _launcher(text):
    if text not in ("auto", "local", "ssh", "slurm", "mpi"):
        raise ValueError(f"'{text}' is none of auto, local, ssh, slurm and mpi")
    return text


def _command(text):
    import shlex

    if not shlex.split(text):
        raise ValueError("the command is empty")
    return text


def _resume(text):
    folder, name = os.path.split(os.path.normpath(text))
    if re.fullmatch(r"point-\d{8,}", name, re.ASCII):
        raise ValueError(f"{text} is one checkpoint; name its folder, whose newest whole one is used: --resume={folder or '.'}")
    return text if text in ("0", "1", "latest") else _path(text)


def _ranks(text):
    if not re.fullmatch(r"\d+(,\d+)*", text, re.ASCII):
        raise ValueError(f"'{text}' is no list of ranks such as 1,3")
    return ",".join(str(number) for number in sorted({int(number) for number in text.split(",")}))


def _size(text):
    match = re.fullmatch(r"0*(\d{1,19})([KMGT]?)", text, re.ASCII)
    size = int(match[1]) << (" KMGT".index(match[2] or " ") * 10) if match else 2**64
    if size >= 2**64:
        raise ValueError(f"'{text}' is no number of bytes such as 64M")
    return size


_CLUSTER = re.compile(r"(\d+)x(\d+)(?:,(?:inf|(\d+(?:\.\d+)?)(?:[kMGT]bit|[MG]B))"
                      r"(?:,\d+(?:\.\d+)?(?:ns|us|ms|s)(?:,\d+(?:\.\d+)?(?:ns|us|ms|s)(?:\+\d+(?:\.\d+)?(?:ns|us|ms|s))?)?)?)?", re.ASCII)


def _cluster(text):
    """The runtime reads the same form (runtime/base/simulated_cluster.cpp); here it is checked before anything starts."""
    match = _CLUSTER.fullmatch(text)
    if not match or not (1 <= int(match[1]) <= 65536 and 1 <= int(match[2]) <= 4096 and float(match[3] or 1) > 0):
        raise ValueError(f"'{text}' is not RANKSxTHREADS[,BANDWIDTH[,LATENCY[,PROCESSOR]]], such as 4x2,10Gbit,50us or "
                         "4x2,10Gbit,50us,20us+1.5ns")
    return text


def _model(text):
    if not re.fullmatch(r"async|ordered|sync|sync=0*[1-9]\d{0,17}|stale=0*([0-9]|[1-5]\d|6[0-4])", text, re.ASCII):
        raise ValueError(f"'{text}' is none of async, ordered, sync, sync=ITERATIONS and stale=BOUND, from 0 to 64")
    return text


class Option(collections.namedtuple("Option", "name help parse value shorts default for_ranks",
                                    defaults=(_switch, "", (), None, False))):
    """One row of the table. `value` is how the help names the argument; a row without it is a switch. Where the runtime
    reads the variable too, it stays in the environment of the ranks: `for_ranks`."""

    @property
    def variable(self):
        return "STRADSAP_" + self.name.upper().replace("-", "_")

    @property
    def attribute(self):
        return self.name.replace("-", "_")


OPTIONS = (
    Option("nproc", "number of ranks (processes), default 1, by mpi as many as slots", _integer(1, 4096), "N", ("-n", "-np"), 1),
    Option("hosts", "ranks on these hosts: a:2,b,node[01-16]:4", hosts.parse_list, "LIST", ("-H",)),
    Option("hostfile", "ranks on the hosts of F; lines HOST slots=N, HOST:N or HOST", _path, "F"),
    Option("launcher", "auto (slurm in a Slurm job, ssh for -H), local, ssh, slurm or mpi", _launcher, "NAME", default="auto"),
    Option("ssh", "the command that starts agents on hosts, default ssh", _command, "CMD", default="ssh"),
    Option("interface", "name, address or network that ranks of several hosts use", parse_interface, "IF"),
    Option("port-range", "ports that ranks of several hosts listen at, else any", parse_ports, "A-B", for_ranks=True),
    Option("encrypt", "0: connections between hosts are open to anyone", _zero_or_one, "0|1", for_ranks=True),
    Option("threads", "threads of each rank, default: cores / ranks", _integer(1, 4096), "T", for_ranks=True),
    Option("serial", "one rank, one thread, program order", for_ranks=True, default=False),
    Option("seed", "seed of the run, default 0", _integer(0, 2**64 - 1), "S", for_ranks=True),
    Option("consistency", "run loops as async, ordered, sync, sync=ITERATIONS or stale=BOUND", _model, "MODEL", for_ranks=True),
    Option("plan-cache", "0: plan every call of a loop anew", _zero_or_one, "0|1", for_ranks=True),
    Option("shared-memory", "0: ranks talk over sockets alone", _zero_or_one, "0|1", for_ranks=True),
    Option("replicate", "fetch larger containers that a loop only reads page by page", _size, "SIZE", for_ranks=True),
    Option("latency", "deliver messages between ranks L microseconds late", _integer(0, 1000000), "L",
           for_ranks=True),
    Option("in-place", "never: transactions and waves, though one thread may be quicker", _in_place, "auto|never",
           for_ranks=True),
    Option("check", "prove the serial order of each loop of a check build", _check, "conflicts", for_ranks=True),
    Option("check-order", "write the orders that --check proved to F", _path, "F", for_ranks=True),
    Option("stats", "write JSON statistics of ranks and loops to F", _path, "F", for_ranks=True),
    Option("metrics", "write each report() of the program to F, as CSV", _path, "F", for_ranks=True),
    Option("checkpoint-dir", "the folder of checkpoints, in place of the program's", _path, "D", for_ranks=True),
    Option("resume", "go on from the newest checkpoint; --resume=D: of the folder D", _resume, for_ranks=True),
    Option("falling", "reported values that should fall, default objective,loss", _names, "NAMES", for_ranks=True),
    Option("summary", "say at the end how the loops spent their time", for_ranks=True, default=False),
    Option("quiet", "show no progress of long loops", for_ranks=True, default=False),
    Option("simulate", "run on one rank, predict R ranks x T threads; also RxT,10Gbit,50us", _cluster, "RxT",
           for_ranks=True),
    Option("simulate-parallel", "tell the updates of dynamic loops by 1, 2, 4, ... P workers", _integer(1, 65536), "P",
           for_ranks=True),
    Option("free-running", "loops by depends_on_accesses(): speed for equal bits", for_ranks=True, default=False),
    Option("no-prefix", "pass lines on without their '[rank] '", default=False),
    Option("ranks", "pass on the output of these ranks alone", _ranks, "R[,R]"),
    Option("output", "write the output of rank R to DIR/rank.R/stdout and stderr, too", _path, "DIR", ("-o",)),
    Option("timeout", "end the run after S seconds with status 124 (mpirun: 110), 0: never", _seconds, "S", default=0.0),
    Option("start-timeout", "seconds the ranks have to find each other", _integer(1, 86400), "S", for_ranks=True),
    Option("hang-timeout", "seconds until a silent rank is lost, or a run without progress ends", _integer(0, 86400), "S", for_ranks=True),
    Option("kill-grace", "seconds between TERM and KILL, default 5", _seconds, "S", default=5.0),
    Option("debug-rank", "these ranks wait until a debugger is attached", _ranks, "R[,R]", for_ranks=True),
    Option("debugger", "start the rank of --debug-rank under CMD, such as 'gdb --args'", _command, "CMD"),
    Option("max-restarts", "start the ranks again after N failures, from their checkpoint", _integer(0, 1000000), "N", default=0),
    Option("min-ranks", "leave lost hosts out of a restart if M ranks are left", _integer(1, 4096), "M"),
    Option("wdir", "working directory of the ranks", _path, "D"),
    Option("dry-run", "print the commands of the ranks and run nothing", default=False),
    Option("show-config", "print all options with their values and run nothing", default=False),
)

# Variables that the launcher alone sets for each rank, or that only ranks without a launcher read.
CONTRACT = ("STRADSAP_RANK", "STRADSAP_WORLD_SIZE", "STRADSAP_LOCAL_RANK", "STRADSAP_JOB_ID", "STRADSAP_RUN_DIR",
            "STRADSAP_COLUMNS", "STRADSAP_NODE_RANK", "STRADSAP_LOCAL_SIZE", "STRADSAP_ADDRESS", "STRADSAP_RESTART_COUNT",
            "STRADSAP_RENDEZVOUS", "STRADSAP_KEY_FILE")

# Planned names: refused by name, so that no user expects an effect.
NOT_YET = ("trace", "report")

BY_NAME = {option.name: option for option in OPTIONS}

_DESCRIPTION = """\
Runs a program that stradsap-cc compiled, as N processes of this machine or of several hosts.
Lines of the ranks are passed on whole, each starting with '[rank] '. Rank 0 reads the standard input.
"""
_EPILOG = """\
Each option is also a variable, --kill-grace as STRADSAP_KILL_GRACE; the option wins.
Status: 0, that of the first rank that failed, or 128 + its signal; 2 usage; 3 not started; 124 time-out.
"""


class Settings:
    """The settings of one run. Each option of the table is an attribute; `origin` has its source."""

    def __init__(self):
        self.program, self.warnings = [], []
        self.exports, self.origin = {}, {}
        self.wants = "run"  # or "help", "version", "doctor"
        self.places = None  # the hosts and their ranks, unless this machine has all of them
        self.nodes = None  # of the Slurm job, if they shall have the ranks
        self.listed = None  # the hosts that mpirun is to use

    def take(self, option, text, spelled, origin):
        try:
            setattr(self, option.attribute, option.parse(text))
        except ValueError as error:
            raise UsageError(f"{spelled}: {error}") from None
        self.origin[option.name] = origin


def close_to(word, known):
    """A hint at the known word that is meant, or nothing."""
    import difflib  # imported here, because few command lines need it

    close = difflib.get_close_matches(word, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _refuse(word):
    spelled = word.partition("=")[0]
    name = spelled[2:].replace("_", "-")
    if name in NOT_YET:
        raise UsageError(f"--{name} is not supported yet")
    known = ["--" + n for n in (*BY_NAME, *NOT_YET, "help", "version")]
    raise UsageError(f"unknown option {spelled}" + close_to(spelled, known))


def _export(settings, text, environment):
    name, equals, value = text.partition("=")
    if not name:
        raise UsageError(f"-x: '{text}' names no variable")
    if name in CONTRACT or any(name == option.variable for option in OPTIONS):
        raise UsageError(f"-x: {name} is set by stradsap-run itself, use its option")
    if not equals and name not in environment:
        raise UsageError(f"-x: {name} is not set here, write -x {name}=VALUE")
    settings.exports[name] = value if equals else environment[name]


def _canonical(word):
    """`--a_b` with dashes, and a switch with its value, because argparse has no values that only `=` can give."""
    spelled, equals, text = word.partition("=")
    option = BY_NAME.get(spelled[2:].replace("_", "-")) if word.startswith("--") else None
    if option is None:
        return word
    if not option.value and not equals:
        equals, text = "=", "1"
    return f"--{option.name}{equals}{text}"


def _action(take):
    """The argparse action that calls `take(settings, text, spelled)`. After --help or --version it does nothing."""

    class Action(argparse.Action):
        def __call__(self, parser, settings, text, spelled=None):
            if settings.wants == "run":
                take(settings, "--" if text == [] else text, spelled)  # until Python 3.12, --name=-- gives []

    return Action


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        raise UsageError(message.removeprefix("argument ").replace(": expected one argument", " needs a value"))


def _parser(environment):
    """Parses the options of the table. `program` gets all words from the first that is none of them."""
    parser = _Parser(usage="stradsap-run [options] [--] program [arguments], or stradsap-run doctor [options]", description=_DESCRIPTION, epilog=_EPILOG,
                     formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, 2, 30, 100),
                     add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS)
    rows = parser.add_argument_group()
    for option in OPTIONS:
        rows.add_argument(*option.shorts, "--" + option.name, metavar=option.value, help=option.help, action=_action(
            lambda settings, text, spelled, option=option: settings.take(option, text, spelled, "flag")))
    rows.add_argument("-x", metavar="VAR[=V]", help="set VAR in every rank (to V, else as it is here)", action=_action(
        lambda settings, text, spelled: _export(settings, text, environment)))
    rows.add_argument("-h", "--help", help="this page; -V, --version: the version", dest="wants", action="store_const",
                      const="help")
    rows.add_argument("-V", "--version", help=argparse.SUPPRESS, dest="wants", action="store_const", const="version")
    parser.add_argument("program", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    # argparse takes a word that looks like a negative number for a value. So does every word with a dash that is no option.
    parser._negative_number_matcher = re.compile("-")
    return parser


def _read_environment(settings, environment):
    known = {option.variable: option for option in OPTIONS}
    not_yet = {"STRADSAP_" + name.upper().replace("-", "_") for name in NOT_YET}
    for name in sorted(n for n in environment if n.startswith("STRADSAP_")):
        if name in known:
            if environment[name] != "" and known[name].name not in settings.origin:
                settings.take(known[name], environment[name], name, "environment")
        elif name in not_yet:
            settings.warnings.append(f"{name} is not supported yet and has no effect")
        elif name not in CONTRACT:
            settings.warnings.append(f"unknown variable {name} has no effect" + close_to(name, known))


def _allow_one(settings, name, reason, ruler):
    """`ruler` permits only 1 for `name`. An option overrides a variable; any other conflict raises UsageError."""
    origin = settings.origin.get(name)
    beaten = origin == "environment" and settings.origin[ruler] == "flag"
    if origin and not beaten and getattr(settings, name) != 1:
        raise UsageError(f"{reason}, but {name} is {getattr(settings, name)}")
    setattr(settings, name, 1)


def _settle_serial(settings):
    if settings.serial:
        for name in ("nproc", "threads"):
            _allow_one(settings, name, "--serial runs one rank on one thread", "serial")


def _settle_simulate(settings):
    if settings.simulate is None:
        return
    if settings.serial:
        raise UsageError("--simulate plans the loops, --serial runs them without plans: one of them")
    _allow_one(settings, "nproc", "--simulate runs the program on one rank", "simulate")


def _slurm_job(settings, environment):
    """Notes the nodes of the Slurm job where they shall have the ranks. Returns the name of the list, or None."""
    if settings.launcher == "ssh":
        raise UsageError("--launcher ssh needs hosts: -H or --hostfile")
    if settings.launcher in ("local", "mpi") or settings.serial or settings.simulate:
        return None
    if settings.launcher == "auto" and not slurm.is_job(environment):
        return None
    settings.nodes = slurm.nodes_of(environment)
    settings.origin["nodes"] = "environment"
    return "nodes"


def _check_ports(settings, places):
    """Each rank of a host listens at a port of its own."""
    if settings.port_range is None or len(places) == 1:
        return
    first, last = map(int, settings.port_range.split("-"))
    fullest = max(places, key=lambda place: len(place.ranks))
    if len(fullest.ranks) > last - first + 1:
        raise UsageError(f"--port-range: {settings.port_range} has {last - first + 1} ports, and host {fullest.name} gets "
                         f"{len(fullest.ranks)} ranks, which listen at one each")


def _settle_hosts(settings, environment):
    """From the lists of hosts to the ranks of each host. A list on the command line beats numbers from variables."""
    given = [name for name in ("hosts", "hostfile") if settings.origin.get(name)]
    by_flag = [name for name in given if settings.origin[name] == "flag"]
    if len(by_flag or given) > 1:
        raise UsageError("--hosts and --hostfile: one of them")
    chosen = (by_flag or given or [_slurm_job(settings, environment)])[0]
    if chosen is None:
        if settings.launcher == "mpi" and not settings.origin.get("nproc"):
            settings.nproc = None  # as many as mpirun has slots
        return
    listed = {"hosts": settings.hosts, "nodes": settings.nodes}.get(chosen) or hosts.read_file(settings.hostfile)
    beaten = settings.origin[chosen] == "flag" and settings.origin.get("nproc") == "environment"
    places = hosts.place(listed, settings.nproc if settings.origin.get("nproc") and not beaten else None)
    settings.nproc = sum(len(place.ranks) for place in places)
    settings.origin["nproc"] = settings.origin[chosen]
    if settings.nproc > 4096:
        raise UsageError(f"--{chosen}: {settings.nproc} ranks are more than 4096")
    if settings.launcher == "mpi":
        settings.listed, settings.places = listed, places
        return _check_ports(settings, places)
    if settings.launcher in ("auto", "local") and hosts.is_local(places):
        return
    if settings.launcher == "local":
        raise UsageError("--launcher local cannot start ranks on other hosts")
    if settings.serial or settings.simulate:
        raise UsageError("--serial and --simulate are for ranks of this machine")
    _check_ports(settings, places)
    settings.places = places


def _check_ranks(settings, name):
    last = int(getattr(settings, name.replace("-", "_")).split(",")[-1])
    if settings.nproc is not None and last >= settings.nproc:
        raise UsageError(f"--{name}: there is no rank {last}, only 0 to {settings.nproc - 1}")


def _settle_debugging(settings):
    """A rank that a debugger has stopped is not silent, and one that it has not started yet is not late."""
    if settings.debug_rank is None:
        if settings.debugger is not None:
            raise UsageError("--debugger is for the ranks of --debug-rank")
        return
    _check_ranks(settings, "debug-rank")
    if settings.debugger is not None and settings.places is not None:
        raise UsageError("--debugger starts ranks of this machine; without it, ranks of other hosts wait for a debugger")
    if not settings.origin.get("hang-timeout"):
        settings.hang_timeout = 0
    if settings.debugger is not None and not settings.origin.get("start-timeout"):
        settings.start_timeout = 86400


def _settle_restarts(settings):
    if settings.min_ranks is None or settings.launcher == "mpi":
        return
    if settings.min_ranks > settings.nproc:
        raise UsageError(f"--min-ranks is {settings.min_ranks}, and the run has {settings.nproc} ranks")
    if not settings.max_restarts:
        settings.warnings.append("--min-ranks has no effect without --max-restarts")


def _usual_threads(settings, cores):
    """The threads that a rank has by default. Agents count the cores of other hosts, and ranks of mpirun their own."""
    if settings.places is not None or settings.launcher == "mpi":
        return "default"
    return f"default: {threads_of_each(settings.nproc, cores)}, of {cores} core{'s' if cores > 1 else ''}"


def show(settings, cores):
    """Each option with its value and the source of it, for --show-config. `cores`: that this machine has for the ranks."""
    lines = []
    for option in OPTIONS:
        value = getattr(settings, option.attribute)
        text = {None: "", False: "0", True: "1"}.get(value, value) if not isinstance(value, list) else ",".join(
            f"{host.name}:{host.slots}" for host in value)
        origin = {"flag": "option", "environment": "variable " + option.variable}.get(settings.origin.get(option.name), "default")
        if option.name == "threads" and value is None:
            origin = _usual_threads(settings, cores)
        lines.append(f"--{option.name}={text}  ({origin})\n")
    return "".join(lines)


_OF_OPEN_MPI = ("mpirun", "mpiexec", "orterun")
_OTHER_STARTERS = (*_OF_OPEN_MPI, "mpiexec.hydra", "prterun", "prun", "srun")


def _refuse_two_starters(settings, environment):
    """Two programs that start ranks would start whole runs, one beside the other."""
    named = os.path.basename(settings.program[0])
    if named == "stradsap-run":
        raise UsageError("stradsap-run would start stradsap-run: name the program, and write all options before it")
    if named in _OTHER_STARTERS:
        advice = "; --launcher mpi starts mpirun" if named in _OF_OPEN_MPI else ""
        raise UsageError(f"{named} starts ranks, and so does stradsap-run: start the program by one of both{advice}")
    copies = environment.get("OMPI_COMM_WORLD_SIZE") or environment.get("PMI_SIZE") or "1"
    if settings.launcher == "auto" and copies != "1":
        raise UsageError(f"mpirun has started {copies} copies of stradsap-run, and each would start a whole run: write "
                         "mpirun PROGRAM or stradsap-run --launcher mpi PROGRAM; for as many runs, --launcher local")


def parse(words, environment):
    """Settings from the command line and the environment. Raises UsageError."""
    settings = Settings()
    for option in OPTIONS:
        setattr(settings, option.attribute, option.default)
    if words[:1] == ["doctor"]:
        settings.wants, words = "doctor", words[1:]
    wanted, settings.wants = settings.wants, "run"
    _parser(environment).parse_args([_canonical(word) for word in words], settings)
    if settings.wants != "run":
        return settings
    program = words[len(words) - len(settings.program):]  # as typed
    if program and program[0].startswith("-") and program[0] not in ("-", "--"):
        _refuse(program[0])
    settings.program = program[1:] if program[:1] == ["--"] else program
    _read_environment(settings, environment)
    _settle_hosts(settings, environment)
    _settle_serial(settings)
    _settle_simulate(settings)
    _settle_restarts(settings)
    _settle_debugging(settings)
    if settings.ranks is not None:
        _check_ranks(settings, "ranks")
    if wanted == "doctor" or settings.program == ["doctor"]:
        if settings.program not in ([], ["doctor"]):
            raise UsageError("doctor takes options, and no program")
        settings.wants = "doctor"
        return settings
    if settings.show_config:
        return settings
    if not settings.program:
        raise UsageError("no program named")
    _refuse_two_starters(settings, environment)
    return settings


def help_text():
    return _parser({}).format_help()
