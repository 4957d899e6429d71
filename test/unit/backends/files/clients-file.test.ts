import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openClientsFile } from '../../../../operator/backends/files/clients-file';
import { ManualClock } from '../../../support/manual-clock';
import { RecordedLogger } from '../../../support/recorded-telemetry';

const text = (name: string): string =>
  JSON.stringify({ version: 1, clients: [{ name, role: 'admin', tokenSha256: ['ab'.repeat(32)] }] });

describe('openClientsFile', () => {
  let folder: string;
  let path: string;
  const logger = new RecordedLogger();
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clients-'));
    path = join(folder, 'clients.yaml');
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('follows its file, and keeps the last good clients', async () => {
    await writeFile(path, text('a'));
    const file = await openClientsFile({ path, clock: new ManualClock(), logger });
    const names = () => file.current().map(({ name }) => name);
    await writeFile(path, text('b'));
    await file.reload();
    expect(names()).toEqual(['b']);
    await writeFile(path, 'version: 2');
    await file.reload();
    expect(names()).toEqual(['b']);
    expect((await logger.heard('the last good clients stay')).level).toBe('error');
    await file.close();
  });

  test('ends the start with every problem', async () => {
    const open = () => openClientsFile({ path, clock: new ManualClock(), logger });
    await expect(open()).rejects.toMatchObject({ code: 'settings/invalid' });
    await writeFile(path, 'version: 1');
    await expect(open()).rejects.toThrow('clients: missing');
  });
});
