import { claimStoreSuite, contract } from '../support/claim-store-suite';
import { sharedPostgres } from '../support/postgres-server';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';

beforeAll(sharedPostgres, 60_000);

contract('claim store', { memory: openMemory, sqlite: openSqlite, postgres: openPostgres }, claimStoreSuite);
