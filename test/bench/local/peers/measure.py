"""Runs a command and prints what its process used, as JSON; its own output goes to a file: LOG COMMAND [ARGUMENT …]"""
import json, os, sys, time

log, *command = sys.argv[1:]
output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
begun = time.perf_counter()
to = [(os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, output, 2)]
child = os.posix_spawn(command[0], command, os.environ, file_actions=to)
_, status, used = os.wait4(child, 0)
seconds = time.perf_counter() - begun
unit = 1 if sys.platform == "darwin" else 1024
print(json.dumps({
    "code": os.waitstatus_to_exitcode(status), "seconds": seconds,
    "cpu": used.ru_utime + used.ru_stime, "rss": used.ru_maxrss * unit,
}))
