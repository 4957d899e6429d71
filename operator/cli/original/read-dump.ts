import { convert, type Conversion, type Converted, type ConvertOptions, type LeftOut } from './convert';
import { dumpRecord } from './dump-record';
import { mergeDuplicates } from './merge';
import { jsonOf } from '../../contract/loose-json';

/** A dump, ready to be sent. */
export interface Dump {
  readonly records: number;
  readonly claims: readonly Converted[];
  readonly left: readonly LeftOut[];
}

/**
 * Reads a dump of the original's collection: a document in each line, or one JSON list.
 *
 * @param text - the whole dump
 * @param options - old secrets, time
 * @returns what can be imported, and why the rest cannot
 */
export function readDump(text: string, options: ConvertOptions): Dump {
  const documents = documentsOf(text);
  const converted: Converted[] = [];
  const left: LeftOut[] = [];
  for (const { line, value } of documents) {
    const record = dumpRecord(value);
    const result = record === undefined ? noDocument(line) : convert(record, line, options);
    if (result.kind === 'converted') converted.push(result.record);
    else left.push(result.record);
  }
  const merged = mergeDuplicates(converted);
  return {
    records: documents.length,
    claims: merged.kept,
    left: [...left, ...merged.left].sort((a, b) => a.line - b.line),
  };
}

function noDocument(line: number): Conversion {
  const problem = 'the line is no JSON document';
  return { kind: 'left', record: { line, id: '', zone: '', address: '', verdict: 'refused', problem } };
}

interface Document {
  readonly line: number;
  readonly value: unknown;
}

// Exports through a shell of Windows begin with a byte order mark.
function documentsOf(marked: string): readonly Document[] {
  const text = marked.replace(/^\u{feff}/u, '');
  const list = text.trimStart().startsWith('[') ? jsonOf(text) : undefined;
  if (Array.isArray(list)) return list.map((value: unknown, i) => ({ line: i + 1, value }));
  return text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [{ line: i + 1, value: jsonOf(line) }]));
}
