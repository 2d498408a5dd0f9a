import { RowcastError } from '../../base/errors.ts';

/** The packages that a queue needs. They are not installed with rowcast, because few runs need them. */
const loaders = {
  bullmq: (): Promise<BullMq> => import('bullmq'),
  ioredis: () => import('ioredis'),
  // Only BullMQ uses it.
  pg: (): Promise<unknown> => import('pg' as string),
};

type Name = keyof typeof loaders;

export type BullMq = typeof import('bullmq');

/**
 * Loads a package that only those install who use a queue.
 *
 * @param all what has to be installed together
 * @throws RowcastError `missing_package` with the command that installs it
 */
export async function loadPackage<N extends Name>(
  name: N,
  all: readonly Name[],
): Promise<Awaited<ReturnType<(typeof loaders)[N]>>> {
  try {
    return (await loaders[name]()) as Awaited<ReturnType<(typeof loaders)[N]>>; // of this name
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw cause; // an error of import()
    throw new RowcastError('missing_package', `a queue needs the package ${name}, which is not installed`, {
      hint: `Install it next to rowcast: npm install ${all.join(' ')} (with -g if rowcast was installed with -g).`,
      cause,
    });
  }
}
