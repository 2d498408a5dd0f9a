// npm run bench: the benchmark that the first word names, else that of scoring runs against a stub.

if (process.argv[2] === 'local') await import('./local/local.ts');
else if (process.argv[2] === 'protocols' && process.argv[3] === 'runs')
  await import('./protocols/whole-runs.ts');
else if (process.argv[2] === 'protocols') await import('./protocols/layouts.ts');
else if (process.argv[2] === 'models') await import('./imported/models.ts');
else if (process.argv[2] === 'files') await import('./files.ts');
else if (process.argv[2] === 'serve') await import('./serve.ts');
else if (process.argv[2] === 'reuse') await import('./reuse/reuse.ts');
else if (process.argv[2] === 'shards') await import('./shards.ts');
else if (process.argv[2] === 'evaluate') await import('./evaluate/evaluate.ts');
else if (process.argv[2] === 'numbers') await import('./numbers.ts');
else await import('./score.ts');
