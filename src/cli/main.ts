#!/usr/bin/env node
import { readVersion } from './version.ts';

const argv = process.argv.slice(2);
// Printed before anything else is loaded, because scripts call it.
if (argv.length === 1 && argv[0] === '--version') process.stdout.write(`${readVersion()}\n`);
else
  try {
    const { main } = await import('./dispatch.ts');
    await main(argv);
  } catch (error) {
    // The modules cannot be loaded, for example because the working directory was deleted.
    const { reportFailure } = await import('./last-error.ts');
    process.exitCode = await reportFailure(error, argv);
  }
