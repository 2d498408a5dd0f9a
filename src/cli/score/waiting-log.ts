import type { Logger } from 'pino';
import { durationOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Waiting } from '../../runs/input-wait.ts';

/** Time between two lines about the same. */
const AGAIN_MS = 600_000;

/** Logs what a run waits for: at once, and then seldom. */
export function waitingLog(log: Logger): (waiting: Waiting) => void {
  let last = '';
  let loggedAt = 0;
  return ({ file, why, left }) => {
    const now = performance.now();
    if (last === file + why && now - loggedAt < AGAIN_MS) return;
    [last, loggedAt] = [file + why, now];
    log.info(
      { event: 'waiting_for_input', file, why, left_s: Math.round(left) },
      `waiting for ${sanitize(file)}: ${why}; for up to ${durationOf(left)} (--wait-for-input)`,
    );
  };
}
