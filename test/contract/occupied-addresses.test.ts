import { contract } from '../support/claims-suite';
import { occupiedSuite } from '../support/occupied-suite';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';
import { sharedPostgres } from '../support/postgres-server';

beforeAll(sharedPostgres, 60_000);

contract('occupied addresses', { memory: openMemory, sqlite: openSqlite, postgres: openPostgres }, occupiedSuite);
