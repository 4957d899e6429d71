import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { createLogger } from '../../../operator/telemetry/pino-logger';
import { ManualClock } from '../../support/manual-clock';

const OPERATOR = join(__dirname, '../../../operator');
const LEVELS = new Set(['debug', 'info', 'warn', 'error']);

// The object literal that a call hands to a logger.
function fieldsOf(node: ts.Node): ts.ObjectLiteralExpression | undefined {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { name, expression } = node.expression;
  const fields = node.arguments[1];
  const logs = LEVELS.has(name.text) && /log(ger)?$/iu.test(expression.getText());
  return logs && fields !== undefined && ts.isObjectLiteralExpression(fields) ? fields : undefined;
}

function loggedFields(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022, true);
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    const names = fieldsOf(node)?.properties.flatMap(({ name }) => (name === undefined ? [] : [name.getText()]));
    found.push(...(names ?? []));
    ts.forEachChild(node, look);
  };
  look(source);
  return found;
}

describe('the fields of the log', () => {
  const files = readdirSync(OPERATOR, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const fields = new Set(files.flatMap((name) => loggedFields(join(OPERATOR, name))));

  test('are all on the list of allowed names', () => {
    const lines: string[] = [];
    const destination = { write: (line: string) => lines.push(line) };
    const log = createLogger({ level: 'info', clock: new ManualClock(), destination });
    log.info('all of them', Object.fromEntries([...fields].map((name) => [name, 'x'])));
    expect(fields.size).toBeGreaterThan(20);
    expect((JSON.parse(lines[0] ?? '{}') as { dropped?: string[] }).dropped ?? []).toEqual([]);
  });
});
