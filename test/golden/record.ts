import { caseNames, record } from './golden.ts';

for (const name of await caseNames()) await record(name);
