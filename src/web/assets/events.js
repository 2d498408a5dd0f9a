// @ts-check

/**
 * Follows the state of a training or run until it is final.
 *
 * @template State
 * @param {string} path of the events
 * @param {(state: State) => boolean} onState whether to go on
 * @param {() => void} onLost called once when no more events will come: the session or the service has ended
 * @param {() => void} [onRetry] called when the browser connects again
 * @returns {() => void} ends it
 */
export function follow(path, onState, onLost, onRetry = () => {}) {
  const source = new EventSource(path);
  const lost = () => {
    source.close();
    onLost();
  };
  source.addEventListener('state', event => {
    if (!onState(JSON.parse(event.data))) source.close();
  });
  source.addEventListener('closed', lost);
  // The browser connects again by itself, unless the service has refused.
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) lost();
    else onRetry();
  });
  return () => source.close();
}
