import { contract } from '../support/claims-suite';
import { countsSuite } from '../support/counts-suite';
import { firstTakesSuite } from '../support/first-takes-suite';
import { historySuite } from '../support/history-suite';
import { sharedPostgres } from '../support/postgres-server';
import { keyMarkSuite, notesSuite, reportsSuite, storeSuite } from '../support/small-ports-suites';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';

const STORES = { memory: openMemory, sqlite: openSqlite, postgres: openPostgres };

beforeAll(sharedPostgres);

contract('first takes', STORES, firstTakesSuite);
contract('claim counts', STORES, countsSuite);
contract('claim history', STORES, historySuite);
contract('cluster reports', STORES, reportsSuite);
contract('key mark', STORES, keyMarkSuite);
contract('notes', STORES, notesSuite);
contract('store', STORES, storeSuite);
