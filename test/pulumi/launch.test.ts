import { installCertManagerKinds, installMetalLbKinds } from '../cluster/support/neighbours';
import { PulumiEngine } from './support/pulumi-engine';
import { PulumiCli } from './support/pulumi-launch';
import { useControlPlane } from '../cluster/support/use-control-plane';

let cli: PulumiCli;
useControlPlane({
  programs: ['pulumi', 'pulumi-resource-kubernetes'],
  prepare: async (control) => {
    await Promise.all([installMetalLbKinds(control), installCertManagerKinds(control)]);
    cli = new PulumiCli(control, new PulumiEngine(control));
  },
});

/** Previews a project, and counts what it would make. */
async function previewed(project: string): Promise<{ readonly output: string; readonly created: number }> {
  const { code, output } = await cli.preview(project);
  if (code !== 0) throw new RangeError(output);
  return { output, created: Number(/\+ (\d+) to create/u.exec(output)?.[1]) };
}

describe('pulumi preview', () => {
  test('shows the operator of the root of the repository with the configuration that it is delivered with', async () => {
    await cli.run('.', 'stack', 'init', 'dev');
    const { output, created } = await previewed('.');

    expect(output).toMatch(/zones\s*: \[\s*\[0\]: "hnet-private"/u);
    expect(created).toBeGreaterThan(15);
  });

  test('refuses a connection string of PostgreSQL in plain text, and takes it as a secret', async () => {
    const dsn = ['config', 'set', 'ipam:postgresDsn', 'postgresql://ipam:hunter22@db/ipam'] as const;
    await cli.run('.', 'config', 'set', 'ipam:store', 'postgres');
    await cli.run('.', ...dsn);
    const plain = await cli.preview('.');
    await cli.run('.', ...dsn, '--secret');
    const { output, created } = await previewed('.');

    expect(plain.code).not.toBe(0);
    expect(plain.output).toContain('set it by `pulumi config set --secret ipam:postgresDsn`');
    expect(created).toBeGreaterThan(15);
    expect(plain.output + output).not.toContain('hunter22');
  });

  test('shows the smallest example, which needs no configuration', async () => {
    await cli.run('examples/pulumi/smallest', 'stack', 'init', 'dev');
    const { created } = await previewed('examples/pulumi/smallest');

    expect(created).toBeGreaterThan(15);
  });

  test('names the secret that an example misses, shows all of it once it is there, and not the secret', async () => {
    const shop = 'examples/pulumi/application';
    await cli.run(shop, 'stack', 'init', 'oslo');
    const without = await cli.preview(shop);
    await cli.run(shop, 'config', 'set', '--secret', 'addressSecret', 'correct horse battery');
    const { output, created } = await previewed(shop);

    expect(without.code).not.toBe(0);
    expect(without.output).toMatch(/shop:addressSecret/u);
    expect(created).toBeGreaterThan(10);
    expect(output).not.toContain('correct horse');
  });
});
