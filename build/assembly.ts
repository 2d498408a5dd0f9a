// Compiles the AssemblyScript in `assembly` and writes it to the module that has it as text: neither the bundle nor the
// library needs a further file, and neither a build nor a worktree needs the compiler.
//   npm run assembly

import { writeFile } from 'node:fs/promises';
import { compiledModule, target } from './compile-assembly.ts';

await writeFile(target, await compiledModule());
