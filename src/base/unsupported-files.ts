import { shellWord } from './shell-word.ts';

/** A kind of file that is neither read nor written. */
export interface UnsupportedFile {
  /** As in "the file is an Excel workbook". */
  readonly is: string;
  /** Whether a file is of this kind; left out if its first bytes do not tell. */
  readonly begins?: (first: FirstBytes) => boolean;
  /** How it becomes a file that is read; left out if no command can know. */
  readonly conversion?: FileConversion;
  /** What else to know before it is converted, in whole sentences. */
  readonly caution?: string;
  /** The suffixes of names that promise such a file. */
  readonly suffixes?: readonly string[];
  /** The program that compresses stdin to stdout, if it is a compression. */
  readonly compressor?: string;
}

/**
 * A command that prints what is read, or one that writes a file: some programs need all of their input. Each was tried
 * with files that other programs wrote.
 */
export type FileConversion =
  /**
   * @param file a word of a shell; empty for stdin
   * @param first of the file that is converted
   */
  | { readonly print: (file: string, first: FirstBytes) => string }
  /** @param file a word of a shell, as is `made` */
  | { readonly write: (file: string, made: string) => string; readonly suffix: 'csv' | 'parquet' };

/** The first bytes of a file: up to `RECOGNIZED_BYTES`. */
export interface FirstBytes {
  readonly bytes: Buffer;
  /** A character for each byte. */
  readonly latin1: string;
  /** UTF-8, without a byte order mark and spaces before the text. */
  readonly text: string;
}

/** Bytes that are looked at: the header block of a tar archive. */
export const RECOGNIZED_BYTES = 512;

const begins =
  (magic: string): NonNullable<UnsupportedFile['begins']> =>
  ({ latin1 }) =>
    latin1.startsWith(magic);

const decompressedBy = (program: string): FileConversion => ({
  print: file => `${program} -dc${file && ` < ${file}`}`,
});

const python = (modules: string, code: string): string => `python3 -c "import sys, ${modules}; ${code}"`;

/** Python with the names of both files as arguments. */
const writtenBy = (modules: string, code: string, suffix: 'csv' | 'parquet' = 'parquet'): FileConversion => ({
  write: (file, made) => `${python(modules, code)} ${file} ${made}`,
  suffix,
});

/** Texts stay as they are: codes with leading zeros, `NA`. */
const spreadsheet = writtenBy(
  'pandas',
  'pandas.read_excel(sys.argv[1], dtype=str, keep_default_na=False).to_csv(sys.argv[2], index=False)',
  'csv',
);

/** Compressions and formats, by how their files begin, which no plausible CSV or JSON lines do. */
export const unsupportedFiles: readonly UnsupportedFile[] = [
  // RFC 1952. What is compressed once is read.
  { is: 'compressed with gzip', begins: begins('\x1f\x8b\x08'), conversion: decompressedBy('gzip') },
  {
    is: 'compressed with zstd',
    // RFC 8878, sections 3.1.1 and 3.1.2: a frame, or one to be skipped.
    begins: ({ latin1 }) =>
      latin1.startsWith('\x28\xb5\x2f\xfd') || (/^[P-_]/.test(latin1) && latin1.startsWith('*M\x18', 1)),
    conversion: decompressedBy('zstd'),
  },
  {
    is: 'compressed with xz',
    // The .xz file format, section 2.1.1.1.
    begins: begins('\xfd7zXZ\0'),
    conversion: decompressedBy('xz'),
    suffixes: ['xz'],
    compressor: 'xz',
  },
  {
    is: 'compressed with lz4',
    // The LZ4 frame format, general structure.
    begins: begins('\x04\x22M\x18'),
    conversion: decompressedBy('lz4'),
    suffixes: ['lz4'],
    compressor: 'lz4',
  },
  {
    is: 'compressed with bzip2',
    // `BZh`, a digit, and the digits of pi before a block, or those of its root at the end.
    begins: ({ latin1 }) =>
      /^BZh[1-9]/.test(latin1) &&
      (latin1.startsWith('1AY&SY', 4) || latin1.startsWith('\x17\x72\x45\x38\x50\x90', 4)),
    conversion: decompressedBy('bzip2'),
    suffixes: ['bz2'],
    compressor: 'bzip2',
  },
  { is: 'compressed with brotli', suffixes: ['br'], compressor: 'brotli' },
  // RFC 1950. gzip does not read it.
  { is: 'compressed with zlib', begins: isZlib, conversion: decompressedBy('pigz') },
  {
    is: 'compressed with Snappy',
    // framing_format.txt of Snappy, section 4.1.
    begins: begins('\xff\x06\0\0sNaPpY'),
    conversion: {
      // The command line of python-snappy 0.7 fails.
      print: file =>
        `${python('snappy', 'snappy.stream_decompress(sys.stdin.buffer, sys.stdout.buffer)')}${file && ` < ${file}`}`,
    },
    suffixes: ['snappy', 'sz'],
  },
  {
    is: 'an OpenDocument spreadsheet (.ods)',
    begins: first => isZip(first) && first.latin1.includes('opendocument.spreadsheet'),
    conversion: spreadsheet,
    suffixes: ['ods'],
  },
  {
    is: 'an Office document, such as an Excel workbook (.xlsx)',
    // The name of the first file, after its header.
    begins: first =>
      isZip(first) && /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/)/.test(first.latin1.slice(30)),
    conversion: { print: file => `xlsx2csv ${file || '-'}` },
    suffixes: ['xlsx', 'xlsm', 'xlsb'],
  },
  {
    is: 'a zip archive',
    begins: isZip,
    // unzip does not read stdin.
    conversion: { print: file => (file === '' ? 'bsdtar -xOf -' : `unzip -p ${file}`) },
    suffixes: ['zip'],
    compressor: 'zip',
  },
  {
    is: 'a 7z archive',
    // 7zFormat.txt of the LZMA SDK, signature header. 7z does not read stdin.
    begins: begins("7z\xbc\xaf'\x1c"),
    conversion: { write: (file, made) => `7z x -so ${file} > ${made}`, suffix: 'csv' },
    suffixes: ['7z'],
  },
  {
    is: 'a tar archive',
    // POSIX.1-1988, the header block of ustar.
    begins: first => first.latin1.startsWith('ustar', 257) && isBinary(first),
    conversion: { print: file => `tar -xOf ${file || '-'}` },
    suffixes: ['tar', 'tgz'],
  },
  {
    is: 'an Excel workbook of before 2007 (.xls), or one with a password',
    // MS-CFB, section 2.2.
    begins: begins('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
    conversion: spreadsheet,
    suffixes: ['xls'],
  },
  {
    is: 'a dBase table (.dbf)',
    begins: isDbf,
    conversion: writtenBy(
      'csv, dbfread',
      "d = dbfread.DBF(sys.argv[1]); w = csv.writer(open(sys.argv[2], 'w')); w.writerow(d.field_names); w.writerows(r.values() for r in d)",
      'csv',
    ),
    suffixes: ['dbf'],
  },
  {
    is: 'an Arrow file (Feather)',
    begins: begins('ARROW1\0\0'),
    conversion: arrowBy('pyarrow.ipc.open_file(sys.argv[1]).read_all()', 'pyarrow'),
    suffixes: ['arrow', 'feather'],
  },
  {
    is: 'an Arrow stream',
    // The continuation marker of an encapsulated message.
    begins: begins('\xff\xff\xff\xff'),
    conversion: arrowBy('pyarrow.ipc.open_stream(sys.argv[1]).read_all()', 'pyarrow'),
    suffixes: ['arrows'],
  },
  {
    is: 'an Avro file',
    begins: begins('Obj\x01'),
    conversion: { print: file => `fastavro ${file || '-'}` },
    suffixes: ['avro'],
  },
  {
    is: 'an ORC file',
    begins: first => first.latin1.startsWith('ORC') && isBinary(first),
    conversion: arrowBy('pyarrow.orc.read_table(sys.argv[1])', 'pyarrow.orc'),
    suffixes: ['orc'],
  },
  {
    is: 'a SQLite database',
    begins: begins('SQLite format 3\0'),
    conversion: {
      write: (file, made) => `sqlite3 -readonly -header -csv ${file} 'SELECT * FROM TABLE' > ${made}`,
      suffix: 'csv',
    },
    caution: 'The command .tables lists its tables.',
    suffixes: ['sqlite', 'sqlite3', 'db'],
  },
  {
    is: 'a DuckDB database',
    // After a checksum; the version after it is a small number.
    begins: first => first.latin1.startsWith('DUCK', 8) && isBinary(first),
    conversion: {
      write: (file, made) => `duckdb -readonly -csv -nullvalue '' ${file} 'FROM TABLE' > ${made}`,
      suffix: 'csv',
    },
    caution: 'The command SHOW TABLES lists its tables.',
    suffixes: ['duckdb'],
  },
  {
    is: 'an HDF5 file',
    // HDF5 File Format Specification, section II.A.
    begins: begins('\x89HDF\r\n\x1a\n'),
    conversion: writtenBy('pandas', 'pandas.read_hdf(sys.argv[1]).to_parquet(sys.argv[2], index=False)'),
    caution: 'If pandas wrote several tables into it, add key=NAME to read_hdf.',
    suffixes: ['h5', 'hdf5'],
  },
  {
    is: 'an array of NumPy (.npy)',
    // NEP 1.
    begins: begins('\x93NUMPY'),
    conversion: writtenBy(
      'numpy, pandas',
      'pandas.DataFrame(numpy.load(sys.argv[1])).to_csv(sys.argv[2], index=False)',
      'csv',
    ),
    caution:
      'It rarely has names for its columns, which are called 0, 1, 2 then: --skip-lines 1 --names NAME,NAME,… gives others.',
    suffixes: ['npy'],
  },
  {
    is: 'a SAS table (.sas7bdat)',
    // SAS7BDAT Database Binary Format (Shotwell), "SAS7BDAT Header".
    begins: begins('\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60\xb3\x14\x11\xcf'),
    conversion: writtenBy(
      'pandas',
      "pandas.read_sas(sys.argv[1], format='sas7bdat', encoding='infer').to_csv(sys.argv[2], index=False)",
      'csv',
    ),
    suffixes: ['sas7bdat'],
  },
  {
    is: 'a pickle of Python',
    // Since protocol 2, PROTO and its number; before, what often begins an object or a list.
    begins: ({ latin1 }) =>
      ['\x80\x02', '\x80\x03', '\x80\x04', '\x80\x05', 'ccopy_reg\n', '(lp0\n', '(dp0\n'].some(magic =>
        latin1.startsWith(magic),
      ),
    conversion: writtenBy('pandas', 'pandas.read_pickle(sys.argv[1]).to_parquet(sys.argv[2], index=False)'),
    caution: 'Reading a pickle runs what is in it: do so only if you trust who made it.',
    suffixes: ['pkl', 'pickle'],
  },
  {
    is: 'a pointer of Git LFS, not the file that it stands for',
    begins: begins('version https://git-lfs.github.com/spec/'),
    conversion: { print: file => `git lfs smudge${file && ` < ${file}`}` },
  },
  {
    is: 'an HTML page',
    begins: ({ text }) =>
      /^(?:<!--.*?-->\s*)?<(?:!doctype\s+html|(?:html|head|body|table)(?:\s[^<>]*)?>\s*(?:<|$))/is.test(text),
    caution: 'Look at it: it may be an error or a form to sign in, in place of the file.',
    suffixes: ['html', 'htm'],
  },
  {
    is: 'XML',
    begins: ({ text }) => /^<(?:\?xml\s|Error>)/.test(text),
    conversion: writtenBy(
      'pandas',
      'pandas.read_xml(sys.argv[1], dtype=str).to_csv(sys.argv[2], index=False)',
      'csv',
    ),
    caution: 'Look at it first: it may be an error in place of the file.',
    suffixes: ['xml'],
  },
  {
    is: 'a JSON array of objects',
    begins: ({ text }) => /^\[\s*(?:\{\s*(?:"(?:[^"\\]|\\.)*"\s*:|\})|\]\s*$)/.test(text),
    conversion: { print: file => `jq -c '.[]' ${file}`.trim() },
    suffixes: ['json'],
  },
  {
    is: 'a JSON array of arrays',
    begins: ({ text }) =>
      /^\[\s*\[\s*(?:"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|null|true|false)\s*[,\]]/.test(text),
    conversion: { print: file => `jq -r '.[] | @csv' ${file}`.trim() },
  },
  {
    is: 'JSON with its rows in a list of one object',
    // The object goes over several lines: in JSON lines, it may have a list among its values.
    begins: ({ text }) => listIn(text)?.before.includes('\n') === true,
    conversion: {
      print: (file, { text }) => `jq -c ${shellWord(`${jqPath(listIn(text)?.name)}[]`)} ${file}`.trim(),
    },
  },
  {
    is: 'JSON with an object on several lines',
    // Its first line that has a name ends before the object does, and the next one begins no other object.
    begins: ({ text }) => /^\{\s*"(?:[^"\\]|\\.)*"\s*:[^\n]*[^}\s][ \t\r]*\n\s*[^{\s]/.test(text),
    conversion: { print: file => `jq -c . ${file}`.trim() },
  },
];

/** Python that writes a table of Arrow as Parquet. */
function arrowBy(table: string, module: string): FileConversion {
  return writtenBy(`${module}, pyarrow.parquet`, `pyarrow.parquet.write_table(${table}, sys.argv[2])`);
}

/** The name of the first list of objects in an object, and the text before its first object. */
function listIn(text: string): { name: string; before: string } | undefined {
  if (!text.startsWith('{')) return undefined;
  let depth = 0;
  let name = '';
  for (const { 0: token, 1: string, index } of text.matchAll(/"((?:[^"\\]|\\.)*)"|[{}[\]]/g)) {
    if (string !== undefined) {
      if (depth === 1) name = string;
      continue;
    }
    depth += token === '{' || token === '[' ? 1 : -1;
    if (depth === 0) return undefined;
    const [space] = (token === '[' && depth === 2 && /^\s*(?=\{)/.exec(text.slice(index + 1))) || [];
    if (space !== undefined) return { name, before: text.slice(0, index + 1) + space };
  }
  return undefined;
}

/** The path of a member of an object in jq. @param name as JSON has it, without quotes */
export const jqPath = (name = ''): string => (/^[a-z_]\w*$/i.test(name) ? `.${name}` : `.["${name}"]`);

/** APPNOTE.TXT, sections 4.3.7 and 4.3.16: a file, or the end of an empty archive. */
function isZip({ latin1 }: FirstBytes): boolean {
  return latin1.startsWith('PK\x03\x04') || latin1.startsWith('PK\x05\x06');
}

/** Whether there is a zero byte, which text does not have. */
function isBinary({ bytes }: FirstBytes): boolean {
  return bytes.includes(0);
}

/**
 * A header of two bytes may also be text, so what follows is decompressed. zlib is loaded only for that: scoring
 * threads read headers too, and start sooner without it.
 */
function isZlib({ bytes }: FirstBytes): boolean {
  if (bytes[0] !== 0x78 || ![0x01, 0x5e, 0x9c, 0xda].includes(bytes[1] ?? 0)) return false;
  const { constants, inflateSync } = process.getBuiltinModule('node:zlib');
  try {
    return inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }).length > 0;
  } catch {
    return false;
  }
}

/** The version, the date of the last change, and reserved bytes; dBase III to Visual FoxPro. */
function isDbf({ bytes }: FirstBytes): boolean {
  const [version = 0, , month = 0, day = 0] = bytes;
  const isVersion = [0x02, 0x03, 0x30, 0x31, 0x32, 0x43, 0x83, 0x8b, 0xcb, 0xf5].includes(version);
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= 31;
  return isVersion && isDate && bytes.length > 32 && bytes.readUInt16LE(12) === 0;
}
