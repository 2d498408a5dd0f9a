import { spawnSync } from 'node:child_process';

/** Why there is no browser, or false if there is one. */
export const noBrowser =
  spawnSync('chromium', ['--version']).status === 0 ? false : 'Chromium is not installed';
