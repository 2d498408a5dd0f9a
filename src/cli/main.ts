#!/usr/bin/env node
import type { exitCodes } from '../base/errors.ts';
import { readVersion } from '../base/version.ts';

/** Only its type is imported: the module would be loaded with all options. */
const BUG: typeof exitCodes.bug = 70;
const argv = process.argv.slice(2);
let hasEnded = false;
// Node's own codes: 13 when nothing is left to wait for, which this prevents, and 1 for an uncaught error. The latter
// would mean that the output is finished.
process.exitCode = BUG;
process.on('exit', code => {
  if (code === 1 && !hasEnded) process.exitCode = BUG;
});
// Printed before anything else is loaded, because scripts call it.
if (argv.length === 1 && argv[0] === '--version') {
  process.stdout.write(`${readVersion()}\n`);
  process.exitCode = 0;
} else
  try {
    const { main } = await import('./dispatch.ts');
    await main(argv);
  } catch (error) {
    // The modules cannot be loaded, for example because the working directory was deleted.
    const { reportFailure } = await import('./report-failure.ts');
    process.exitCode = await reportFailure(error, argv);
  }
hasEnded = true;
