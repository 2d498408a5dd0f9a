import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../test/support/root.ts';
import { generated } from './generated.ts';

for (const [path, text] of generated()) writeFileSync(join(root, path), text);
