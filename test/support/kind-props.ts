import type { KindDeclaration } from '../../operator/contract/crd-manifest';

/** Parts of a JSON schema that the generator reads. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly default?: string;
}

const SIMPLE: Readonly<Record<string, string>> = { string: 'string', integer: 'number', boolean: 'boolean' };

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Writes the interfaces of one kind, the inner ones first. */
class InterfaceWriter {
  readonly interfaces: string[] = [];
  /** True where one of the fields is a selector, which has one type for all kinds. */
  hasSelector = false;
  readonly #kind: string;

  constructor(kind: string) {
    this.#kind = kind;
  }

  typeOf(schema: Schema, name: string): string {
    if (schema.enum !== undefined) return schema.enum.map((word) => `'${word}'`).join(' | ');
    if (schema.items !== undefined) return `readonly ${this.typeOf(schema.items, name)}[]`;
    if (schema.additionalProperties !== undefined) {
      return `Readonly<Record<string, ${this.typeOf(schema.additionalProperties, name)}>>`;
    }
    if (schema.properties !== undefined) return this.#mapOf(schema, name);
    const simple = SIMPLE[schema.type ?? ''];
    if (simple === undefined)
      throw new RangeError(`${this.#kind}.${name}: no TypeScript type for ${String(schema.type)}`);
    return simple;
  }

  #mapOf(schema: Schema, name: string): string {
    if (Object.keys(schema.properties ?? {}).join() !== 'matchLabels,matchExpressions') return this.write(schema, name);
    this.hasSelector = true;
    return 'LabelSelector';
  }

  write({ properties = {}, required = [], description = '' }: Schema, name: string): string {
    const fields = Object.entries(properties).map(([key, property]) => {
      const optional = !required.includes(key);
      const lines = [
        `${property.description ?? ''}.`,
        ...(optional ? ['', `@default ${property.default ?? '- none'}`] : []),
      ];
      const doc = lines.map((line) => ` * ${line}`.trimEnd()).join('\n');
      const type = this.typeOf(property, `${this.#kind}${capital(key)}`);
      return `/**\n${doc}\n */\nreadonly ${key}${optional ? '?' : ''}: ${type};`;
    });
    this.interfaces.push(`/** ${description}. */\nexport interface ${name} {\n${fields.join('\n')}\n}`);
    return name;
  }
}

/**
 * Writes the props of a kind's construct from its schema: named interfaces, as jsii wants them, with the descriptions that
 * `kubectl explain` shows.
 *
 * @returns TypeScript, not formatted yet
 */
export function kindProps<O>({ kind, spec }: KindDeclaration<O>): string {
  const writer = new InterfaceWriter(kind);
  writer.write(JSON.parse(JSON.stringify(spec)) as Schema, `${kind}Spec`);
  const banner = `// Generated from the declaration in operator/contract/kinds by \`npm run generate\`; edit that one.`;
  const imports = writer.hasSelector
    ? ["import type { LabelSelector } from '../../operator/contract/label-selector';"]
    : [];
  return [banner, ...imports, ...writer.interfaces].join('\n\n') + '\n';
}
