import { readFileSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { isPassing } from '../../base/system-error.ts';

/** Types of file systems whose disks are on another machine. */
const NETWORK =
  /^(nfs4?|cifs|smb3|9p|afs|ceph|lustre|beegfs|gpfs|fuse\.(sshfs|glusterfs|s3fs|gcsfuse|rclone|juicefs))$/;

/**
 * Whether an operation on a file may succeed later, although nobody changes anything. EIO is such an error only on a
 * network file system, where a soft mount reports a server that does not answer in time; elsewhere it may be a
 * defective disk.
 */
export function isPassingAt(file: string, cause: unknown): boolean {
  if (isPassing(cause)) return true;
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'EIO' && isOnNetwork(file, readMounts());
}

/** @param mounts in the format of /proc/self/mountinfo (proc_pid_mountinfo(5)) */
export function isOnNetwork(file: string, mounts: string): boolean {
  const path = resolve(file);
  let [longest, type] = ['', ''];
  for (const line of mounts.split('\n')) {
    const [fields = '', source = ''] = line.split(' - ');
    const at = (fields.split(' ')[4] ?? '').replace(/\\(\d{3})/g, (_, octal) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    const isInside = path === at || path.startsWith(at.endsWith(sep) ? at : at + sep);
    // A later mount hides an earlier one at the same place.
    if (at === '' || !isInside || at.length < longest.length) continue;
    [longest, type] = [at, source.split(' ')[0] ?? ''];
  }
  return NETWORK.test(type);
}

/** Does not wait for the file server, as statfs(2) would. Systems other than Linux have no such file. */
function readMounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return '';
  }
}
