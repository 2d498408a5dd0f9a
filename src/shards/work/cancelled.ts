import { RowcastError } from '../../base/errors.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';

export const cancelled = ({ path }: Pick<SharedFolder, 'path'>): RowcastError =>
  new RowcastError('cancelled', 'the run was cancelled', {
    severity: 'stopped',
    location: { file: path },
    hint: 'What is finished is kept: the command that planned the run resumes it.',
  });
