// usage: node decrypt.js SOCKET TOKEN ORDER     claims a token, once; prints the answer with its card data
const fs = require('fs'), http = require('http')
const [socketPath, token, order] = process.argv.slice(2)
const finish = (text, status) => { console.log(text); process.exit(status) }
const notSent = (error) => finish(`not sent: ${error.message}`, 3)
const unknown = () => finish('unknown', 5) // The token may be claimed now: let the customer confirm again.
const read = (file) => { try { return JSON.parse(fs.readFileSync(file)) } catch (error) { notSent(error) } }
const body = JSON.stringify({ token: read(token), order: read(order), claim: true, reveal: true })
const request = http.request({ socketPath, method: 'POST', path: '/v1/decrypt',
  headers: { 'Content-Type': 'application/json', 'Paytoken-Request': 'true' } }, (answer) => {
  const parts = [], status = answer.statusCode
  answer.on('data', (part) => parts.push(part)).on('error', unknown).on('end', () => {
    let text
    try {
      const found = JSON.parse(Buffer.concat(parts))
      text = status === 200 ? found.claimed && JSON.stringify(found) : found.message
    } catch { unknown() }
    if (typeof text !== 'string') unknown()
    finish(text, { 200: 0, 422: 1, 503: 3 }[status] ?? (status < 500 ? 2 : 5))
  })
})
request.on('error', (error) => error.syscall === 'connect' ? notSent(error) : unknown())
setTimeout(unknown, 1000 * (process.env.TIMEOUT ?? 70))
request.end(body) // With the body in `end`, Node states its length; `write` sends chunks, which the service refuses.
