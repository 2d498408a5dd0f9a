// The loops over the rows of a batch, in AssemblyScript: `npm run assembly` compiles them for src/base/kernel/kernel.ts. A run
// of some seconds ends before V8 has compiled such loops written in TypeScript, once in each thread; WebAssembly is fast
// at once. Addresses and steps are in bytes.

export { findFields } from './find-fields';
export { findKeys } from './find-keys';
export { findMembers, textsTo } from './find-members';
export { findPersonas, foundTo } from './find-personas';
export { hashRows } from './hash-rows';
export { appendFields, mergeRecords } from './merge-records';
export { readCodes } from './read-codes';
export { readLevels } from './read-levels';
export { readNumbers } from './read-numbers';
export { readTable } from './read-table';
export { addLeaves, binLevels, binNumbers } from './score-block';
export { roundToSingle } from './single-precision';
export { missing, unseen } from './unrecognized';
export { walkTrees } from './walk-trees';
export { writeCells } from './write-cells';
export { writeDoubles } from './write-doubles';
export { writeRows, written } from './write-rows';
