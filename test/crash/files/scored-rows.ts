import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { connect } from '../../support/stub/connect.ts';
import { rejectSome } from '../unscorable.ts';
import { rowsOf, type Shape } from '../variants.ts';

interface Parts extends Shape {
  rows: number;
  batchRows: number;
  /** Called for each request. */
  onCall?: () => void;
}

/** Rows in a new folder, a service that scores them, and options with which every checkpoint is saved. */
export async function scoredRows(t: TestContext, { rows, batchRows, onCall, ...shape }: Parts) {
  const { hasRejects = false } = shape;
  const folder = await newFolder(t, { 'in.csv': rowsOf(shape, rows) });
  const { stub, client } = await connect(t, {
    report: { classes: ['no', 'yes'] },
    behave(call) {
      onCall?.();
      if (hasRejects) rejectSome(call);
      return hasRejects;
    },
  });
  const options = { input: join(folder, 'in.csv'), features: ['id'], batchRows, checkpointInterval: 0 };
  return { stub, client, folder, rows, hasRejects, options };
}
