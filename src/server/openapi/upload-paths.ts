import { rowCountsTrailer } from '../../base/contract/row-counts-trailer.ts';
import { csv, jsonLines, problems, reportId, reportParameter, response } from './components.ts';
import { withKey } from './endpoint-problems.ts';

const ofUpload = [
  ...withKey,
  'bad_report_id',
  'empty_input',
  'unsupported_format',
  'bad_header',
  'unclosed_quote',
  'no_such_report',
  'damaged_report',
  'record_too_long',
  'too_many_columns',
  'unsupported_media_type',
  'unsupported_encoding',
  'missing_columns',
  'duplicate_columns',
  'request_timeout',
  'http_version',
] as const;

/** A response that announces its trailer. */
const withTrailer = (whole: ReturnType<typeof response>) => ({
  ...whole,
  headers: {
    ...whole.headers,
    Trailer: {
      description: 'The trailer after the rows.',
      required: true,
      schema: { const: rowCountsTrailer },
    },
  },
});

/** The endpoint that scores a file. */
export const uploadPaths = {
  '/user/batch-predict': {
    post: {
      operationId: 'scoreFile',
      summary: 'Score a file of CSV or JSON lines',
      description:
        'Streams the rows back unchanged and in order, with one probability per class appended, as a column or as a ' +
        'member. As multipart/form-data, the id must come before the file, whose name or content type says its format, ' +
        'or else its first bytes; otherwise the content type does, and the id is in the query. Blank lines are ' +
        'copied; malformed records are left out, and rows without a prediction have empty probabilities, or no such ' +
        'members. Parquet is refused, because it is read from its end: score the file with `rowcast score`. A trailer ' +
        'after the rows counts them: ' +
        `${rowCountsTrailer}: read=3, scored=2, rejected=1. If values are not of their column’s type, or are categories ` +
        'that the model does not know, it counts these too: mismatched=0, unseen=2. ' +
        'A failure after the first byte aborts the connection, ' +
        'so a response that ends properly is complete.',
      parameters: [{ ...reportParameter('query'), required: false }],
      requestBody: {
        required: true,
        description:
          'May be compressed (Content-Encoding: gzip). The file’s size is not limited; the size of a record is.',
        content: {
          'text/csv': { schema: csv },
          'application/x-ndjson': { schema: jsonLines },
          'application/jsonl': { schema: jsonLines },
          'multipart/form-data': {
            schema: {
              type: 'object',
              properties: { id: reportId, file: { anyOf: [csv, jsonLines] } },
              required: ['id', 'file'],
            },
          },
        },
      },
      responses: {
        200: withTrailer({
          ...response(
            'The rows with probabilities, in the format of the file, compressed with gzip if the request accepts it.',
            'text/csv',
            csv,
          ),
          content: { 'text/csv': { schema: csv }, 'application/x-ndjson': { schema: jsonLines } },
        }),
        ...problems(ofUpload),
      },
    },
  },
};
