#!/usr/bin/env node
import { readVersion } from './version.ts';

const argv = process.argv.slice(2);
// Answered before anything else is loaded: a script asks for it.
if (argv.length === 1 && argv[0] === '--version') process.stdout.write(`${readVersion()}\n`);
else
  try {
    const { main } = await import('./dispatch.ts');
    await main(argv);
  } catch (error) {
    // Its modules do not load, for one where there is no working directory.
    const { reportFailure } = await import('./last-error.ts');
    process.exitCode = await reportFailure(error, argv);
  }
