const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 30_000;

/**
 * Milliseconds before the next attempt: exponential backoff with full jitter (AWS Architecture Blog, "Exponential
 * Backoff And Jitter").
 *
 * @param attempts so far, from 1
 * @param random in [0, 1)
 */
export function backoff(attempts: number, random: number): number {
  return random * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
}
