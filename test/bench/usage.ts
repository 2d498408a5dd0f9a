// Preloaded into a measured process; records what it has used when it exits.

import { writeFileSync } from 'node:fs';

const file = process.env.BENCH_USAGE;
if (file !== undefined)
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    const { maxRSS } = process.resourceUsage();
    writeFileSync(file, JSON.stringify({ cpu: (user + system) / 1e6, rss: maxRSS * 1024 }));
  });
