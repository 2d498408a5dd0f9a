import type { RunObserver, RunView } from '../../runs/observer.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { openProgress, type Progress, type ProgressOptions } from '../terminal/progress.ts';
import { progressText } from '../terminal/progress-text.ts';

/**
 * Shows how far a run is.
 *
 * @param stop aborted by a signal; nothing is shown after it
 */
export function progressLine(options: ProgressOptions, stop: AbortSignal): RunObserver {
  let progress: Progress | undefined;
  let run: RunView | undefined;
  const close = (): void => {
    stop.removeEventListener('abort', close);
    progress?.close();
  };
  return {
    ready(view) {
      run = view;
      progress = openProgress(options);
      if (stop.aborted) close();
      else stop.addEventListener('abort', close);
    },
    progress: now =>
      progress?.show(seconds =>
        progressText(now, seconds, run?.service === LOCAL ? undefined : run?.statistics),
      ),
    suspended: close,
    scored: close,
    close,
  };
}
