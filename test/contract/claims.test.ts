import { claimsSuite, contract } from '../support/claims-suite';
import { sharedPostgres } from '../support/postgres-server';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';
import type { OpenStore } from '../support/store-under-test';

beforeAll(sharedPostgres);

contract<OpenStore>('claims', { memory: openMemory, sqlite: openSqlite, postgres: openPostgres }, (open) => {
  claimsSuite(open);
});
