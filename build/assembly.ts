// Compiles the AssemblyScript in `assembly`. What it becomes is kept there, so that neither a build nor a worktree needs
// the compiler. A build puts it into a module as text: neither the bundle nor the library needs a further file.
//   npm run assembly

import { writeFile } from 'node:fs/promises';
import { compiledModule, target } from './compile-assembly.ts';

await writeFile(target, await compiledModule());
