import { jsonNode, VerbatimLine, YamlMap, yamlDocument } from '../objects/yaml';
import type { ChartValue, JsonSchema } from './chart-value';

/** Values by the parts of their paths. */
interface Group {
  readonly [part: string]: Group | ChartValue<unknown>;
}

const isValue = (entry: Group | ChartValue<unknown>): entry is ChartValue<unknown> =>
  typeof (entry as { shapes?: unknown }).shapes === 'function';

function grouped(values: readonly ChartValue<unknown>[]): Group {
  const root: Record<string, Group | ChartValue<unknown>> = {};
  for (const value of values) {
    const parts = value.path.split('.');
    const last = parts.pop() ?? '';
    let place = root;
    for (const part of parts) place = (place[part] ??= {}) as Record<string, Group | ChartValue<unknown>>;
    place[last] = value;
  }
  return root;
}

function wrapped(comment: string): readonly string[] {
  const lines: string[] = [];
  for (const word of comment.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 100) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function commented(group: Group): YamlMap {
  const parts = Object.entries(group).flatMap(([key, entry]): YamlMap['parts'] => {
    if (!isValue(entry)) return [[key, commented(entry)]];
    // `# --` is what helm-docs reads
    const lines = wrapped(entry.comment).map((text, i) => new VerbatimLine(`# ${i === 0 ? '-- ' : ''}${text}`));
    return [...lines, [key, jsonNode(entry.initial)]];
  });
  return new YamlMap(parts);
}

function schemaOf(group: Group): JsonSchema {
  const properties = Object.entries(group).map(([key, entry]): readonly [string, JsonSchema] => [
    key,
    isValue(entry) ? { description: entry.comment, ...entry.schema } : schemaOf(entry),
  ]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    // a default that is taken out with `null` would reach templates as nothing
    required: Object.keys(group),
    additionalProperties: false,
  };
}

/**
 * Writes values.yaml.
 *
 * @param values - of the chart, in their order
 * @returns defaults, each under its comment
 */
export function valuesYaml(values: readonly ChartValue<unknown>[]): string {
  return yamlDocument(commented(grouped(values)));
}

/**
 * Writes values.schema.json, by which Helm refuses wrong types and mistyped keys.
 *
 * @param values - of the chart
 * @returns a JSON Schema, draft 7
 */
export function valuesSchema(values: readonly ChartValue<unknown>[]): string {
  const { properties, ...rest } = schemaOf(grouped(values));
  // Helm hands `global` to every chart that is part of another one
  const all = { ...(properties as JsonSchema), global: { type: 'object' } };
  return `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...rest, properties: all }, null, 2)}\n`;
}
