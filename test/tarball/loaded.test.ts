import { execFileSync } from 'node:child_process';
import { consumerFolder } from './packed';

/** Names of the packages of which an entry loads files, after a program that imports it has started. */
function loadedBy(entry: string): readonly string[] {
  const script = `require(${JSON.stringify(entry)}); console.log(JSON.stringify(Object.keys(require.cache)))`;
  const files = JSON.parse(
    execFileSync(process.execPath, ['-e', script], { cwd: consumerFolder(), encoding: 'utf8' }),
  ) as string[];
  const names = files.map((file) => /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/u.exec(file)?.[1] ?? file);
  return [...new Set(names)].toSorted();
}

const SERVER = ['fastify', 'pino', 'pg', 'prom-client', '@kubernetes/client-node', '@peculiar/x509'];

describe('an import', () => {
  test('of the pure half loads nothing but what was installed along', () => {
    const loaded = loadedBy('cdk8s-ipam');
    expect(loaded).toContain('cdk8s-ipam');
    const along = ['cdk8s-ipam', '@sinclair/typebox', 'ajv', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse'];
    expect(loaded.filter((name) => ![...along, 'require-from-string', 'yaml'].includes(name))).toEqual([]);
  });

  test.each(['cdk8s-ipam/constructs', 'cdk8s-ipam/constructs/validations'])(
    'of %s loads neither the Kubernetes client nor Pulumi nor a server',
    (entry) => {
      const loaded = loadedBy(entry);
      expect(loaded).toContain('cdk8s-ipam');
      expect(loaded.filter((name) => name.startsWith('@pulumi/') || SERVER.includes(name))).toEqual([]);
    },
  );

  test('of the components loads Pulumi, and neither the Kubernetes client nor a server of ours', () => {
    const loaded = loadedBy('cdk8s-ipam/infra');
    expect(loaded).toEqual(expect.arrayContaining(['@pulumi/kubernetes', '@pulumi/pulumi', 'cdk8s', 'cdk8s-ipam']));
    expect(loaded.filter((name) => SERVER.includes(name))).toEqual([]);
  });
});
