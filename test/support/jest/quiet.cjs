/** Before n8n's engine is loaded: it says what it thinks of the tests' errors only to those who ask, with N8N_LOG_LEVEL=debug. */
process.env.N8N_LOG_LEVEL ??= 'silent';
