import * as pulumi from '@pulumi/pulumi';

import { program } from '../../../infra/index';
import { mockEngine, objectsRegistered, registered, settled } from '../../support/pulumi-engine';

const CONFIG = { 'ipam:zones': '[{"name":"inet","prefixes":["203.0.113.0/24"]}]', 'ipam:store': 'postgres' };
const DSN = 'postgresql://ipam:hunter22@db/ipam';

interface Made {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const ofKind = (wanted: string): readonly Made[] =>
  (objectsRegistered() as readonly unknown[] as readonly Made[]).filter(({ kind }) => kind === wanted);

describe('the program of Pulumi.yaml', () => {
  test('makes the Secret of a connection string, and no other one in its place', async () => {
    await mockEngine({ ...CONFIG, 'ipam:postgresDsn': DSN, 'ipam:postgresSecret': 'db' }, ['ipam:postgresDsn']);
    program();
    await settled();
    const [secret, ...others] = ofKind('Secret');
    expect(others).toEqual([]);
    expect(secret).toMatchObject({ metadata: { name: 'db', namespace: 'ipam-system' } });
    expect(secret).toHaveProperty('stringData.value.dsn', DSN);

    await mockEngine(CONFIG);
    program();
    await settled();
    expect(ofKind('Secret')).toEqual([]);
    expect(ofKind('Deployment')).toHaveLength(1);
  });

  test('refuses a connection string that stands in plain text, without a word of it', async () => {
    await mockEngine({ ...CONFIG, 'ipam:postgresDsn': DSN });
    const refused = new pulumi.RunError(
      'ipam:postgresDsn: stands in plain text in the file of the stack; set it by `pulumi config set --secret ipam:postgresDsn`',
    );
    expect(() => program()).toThrow(refused);
    await settled();
    expect(registered).toEqual([]);
  });

  test('keeps claims in SQLite by default, and refuses a store that it does not know', async () => {
    await mockEngine({ ...CONFIG, 'ipam:store': '' });
    program();
    await settled();
    expect(ofKind('PersistentVolumeClaim')).toHaveLength(1);

    await mockEngine({ ...CONFIG, 'ipam:store': 'mysql' });
    expect(() => program()).toThrow('ipam:store: "mysql" is not allowed; allowed is sqlite or postgres');
  });
});
